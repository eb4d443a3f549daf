"""``--junitxml``: one element a case, with the kind and reason that a CI server shows."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from tests.plugin.bench import Bench


def cases(bench: Bench) -> dict[str, ElementTree.Element]:
    """Return the elements of the file by name; each name once."""
    found = list(ElementTree.parse(bench.path / "out.xml").iter("testcase"))
    assert len({element.get("name") for element in found}) == len(found)
    assert {element.get("classname") for element in found} == {"cases.toy.v1.cases.jsonl"}
    return {str(element.get("name")): element for element in found}


def properties(element: ElementTree.Element) -> dict[str, str]:
    return {str(one.get("name")): str(one.get("value")) for one in element.iter("property")}


def kinds(element: ElementTree.Element) -> list[str]:
    return [child.tag for child in element if child.tag != "properties"]


def test_each_outcome_has_its_kind_and_three_properties(bench: Bench, workers: list[str]) -> None:
    bench.record("base", {"t-001": ["cell"]})
    bench.answers({"t-001": ["cell"], "t-002": ["row"], "t-003": "raise"})

    bench.run("--baseline=base", "--junitxml=out.xml", *workers)

    found = cases(bench)
    assert {name: kinds(element) for name, element in found.items()} == {
        "t-001": ["skipped"],
        "t-002": ["failure"],
        "t-003": ["error"],
        "t-004": [],
    }
    known = found["t-001"].find("skipped")
    assert known is not None
    assert (known.get("type"), known.get("message")) == (
        "pytest.xfail",
        "same errors as baseline",
    )
    verdicts = {name: properties(element) for name, element in found.items()}
    assert [verdicts[name]["benchbed_verdict"] for name in sorted(found)] == [
        "xfailed",
        "failed",
        "error",
        "passed",
    ]
    for name, values in verdicts.items():
        assert set(values) == {"benchbed_verdict", "benchbed_digest", "benchbed_case"}
        assert values["benchbed_case"] == name
        assert len(values["benchbed_digest"]) == 64
    text = (bench.path / "out.xml").read_text("utf-8")
    assert "user_properties" not in text
    # A failure shows what was expected, to whoever runs the tests; nothing else does.
    assert text.count("SECRET") == text.count("SECRET-t-002")


def test_a_case_that_the_adapter_does_not_do_is_skipped_with_its_reason(bench: Bench) -> None:
    bench.answers(supports=False)

    bench.run("--junitxml=out.xml")

    for element in cases(bench).values():
        skipped = element.find("skipped")
        assert skipped is not None
        assert skipped.get("type") == "pytest.skip"
        assert "not support" in str(skipped.get("message"))
