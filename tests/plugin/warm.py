"""Imports what a session imports.

pytester forgets every module that a session inside it imported, and the next
session imports them all again: half of its time. What is imported here stays.
"""

from __future__ import annotations

import asyncio  # noqa: F401

import jinja2  # noqa: F401
import xdist.plugin  # noqa: F401

import pytest_benchbed.adapters.executable
import pytest_benchbed.adapters.supervised
import pytest_benchbed.benchmarks.selfcheck
import pytest_benchbed.benchmarks.table_separators
import pytest_benchbed.edge.collector
import pytest_benchbed.edge.controller
import pytest_benchbed.edge.finish
import pytest_benchbed.edge.header
import pytest_benchbed.edge.listing
import pytest_benchbed.edge.live
import pytest_benchbed.edge.progress
import pytest_benchbed.edge.session
import pytest_benchbed.edge.terminal
import pytest_benchbed.edge.transport
import pytest_benchbed.edge.user_tests
import pytest_benchbed.report.lines
import pytest_benchbed.report.page
import pytest_benchbed.report.summary
import pytest_benchbed.report.view  # noqa: F401
