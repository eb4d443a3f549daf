// Adds to a page that is readable without it: a filter, open and close all,
// copying of commands, links that open what they point at, printing with all open.
(function () {
  "use strict";
  var all = function (selector, root) {
    return Array.prototype.slice.call((root || document).querySelectorAll(selector));
  };

  var tools = document.getElementById("tools");
  var filter = document.getElementById("filter");
  var found = document.getElementById("found");
  var cases = all(".case");
  var texts = cases.map(function (one) {
    var group = one.closest("details.category");
    var category = group ? group.querySelector("summary").textContent : "";
    return (one.querySelector(".row").textContent + " " + category).toLowerCase();
  });
  if (cases.length) tools.hidden = false;

  function apply() {
    var words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    var count = 0;
    cases.forEach(function (one, index) {
      var fits = words.every(function (word) { return texts[index].indexOf(word) >= 0; });
      one.classList.toggle("filtered", !fits);
      if (fits) count += 1;
    });
    all("details.category").forEach(function (group) {
      var left = group.querySelector(".case:not(.filtered)");
      group.classList.toggle("filtered", !left);
      if (words.length && left) group.open = true;
    });
    found.textContent = words.length ? count + " of " + cases.length + " cases" : "";
  }
  var waiting = 0;
  filter.addEventListener("input", function () {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 120);
  });

  document.getElementById("open-all").addEventListener("click", function () {
    all("#cases details.category:not(.filtered), #cases details.case:not(.filtered)").forEach(
      function (one) { one.open = true; }
    );
  });
  document.getElementById("close-all").addEventListener("click", function () {
    all("#cases details.case").forEach(function (one) { one.open = false; });
  });

  function reveal() {
    var target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (var one = target; one; one = one.parentElement) {
      if (one.tagName === "DETAILS") one.open = true;
    }
    target.scrollIntoView();
  }
  window.addEventListener("hashchange", reveal);
  reveal();

  var opened = [];
  window.addEventListener("beforeprint", function () {
    opened = all("details:not([open])");
    opened.forEach(function (one) { one.open = true; });
  });
  window.addEventListener("afterprint", function () {
    opened.forEach(function (one) { one.open = false; });
  });

  function copyable(box) {
    var button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", function () {
      var text = box.querySelector("code").textContent;
      var done = function () {
        button.textContent = "Copied";
        setTimeout(function () { button.textContent = "Copy"; }, 1500);
      };
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, select);
      else select();
      function select() {
        getSelection().selectAllChildren(box.querySelector("code"));
      }
    });
    box.classList.add("with-copy");
    box.appendChild(button);
  }
  all(".command").forEach(function (box) {
    // Thousands of hidden cases get theirs when they are opened.
    if (!box.closest("details.case")) copyable(box);
  });
  document.addEventListener("toggle", function (event) {
    if (!event.target.open || !event.target.matches("details.case")) return;
    all(".command:not(.with-copy)", event.target).forEach(copyable);
  }, true);
})();
