"""Checks that any benchmark type must pass, for the authors of plugins.

Run ``pytest --pyargs pytest_benchbed.conformance``, or derive from
:class:`Conformance` in a test file of your own. See docs/conformance.md.
"""

from pytest_benchbed.conformance.suite import Conformance

__all__ = ["Conformance"]
