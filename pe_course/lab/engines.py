"""Engines that run many calls of one function: processes here, Slurm, a Dask cluster. None of them is our own.

Each takes a function and a list and yields results as they finish. A run writes its row to a spool file before it
returns, so an engine that dies takes no finished run with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from pe_course._extras import needs
from pe_course.reference.validation import count, one_of

Item, Result = TypeVar("Item"), TypeVar("Result")
Engine = Callable[..., Iterator[Result]]


def serial(function: Callable[[Item], Result], items: Sequence[Item], *, jobs: int = 1) -> Iterator[Result]:
    """One after another, in this process."""
    return map(function, items)


def joblib(function: Callable[[Item], Result], items: Sequence[Item], *, jobs: int = 2) -> Iterator[Result]:
    """``jobs`` processes on this machine, with one thread each: two runs on one core each beat one run on two."""
    library = needs("joblib", "lab")
    with library.parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1):
        parallel = library.Parallel(return_as="generator_unordered", pre_dispatch="n_jobs")
        yield from parallel(library.delayed(function)(item) for item in items)


def submitit(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int = 2,
    cluster: str = "slurm",
    folder: str = "lab_jobs",
    parameters: dict[str, Any] | None = None,
) -> Iterator[Result]:
    """A Slurm job array of at most ``jobs`` at a time; ``cluster="local"`` runs the jobs as processes here.

    ``folder``, for logs and pickles, must be on a disk that all nodes share. ``parameters`` go to
    ``submitit.AutoExecutor.update_parameters`` as they are, such as ``{"slurm_partition": "gpu", "timeout_min": 60}``.
    """
    library = needs("submitit", "cluster")
    executor = library.AutoExecutor(folder=folder, cluster=cluster)
    limits = {"slurm_array_parallelism": jobs} if executor.cluster == "slurm" else {}
    executor.update_parameters(cpus_per_task=1, **limits, **(parameters or {}))
    # Locally there is no queue that would hold jobs back, so they are handed over a few at a time.
    portion = len(items) if executor.cluster == "slurm" else jobs
    for start in range(0, len(items), portion):
        submitted = executor.map_array(function, items[start : start + portion])
        for job in library.helpers.as_completed(submitted, poll_frequency=1):
            yield job.result()


def dask(
    function: Callable[[Item], Result], items: Sequence[Item], *, jobs: int = 2, scheduler: str | None = None
) -> Iterator[Result]:
    """A Dask cluster at the address ``scheduler``; without one, ``jobs`` processes here with one thread each."""
    distributed = needs("distributed", "cluster")
    local = {} if scheduler else {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.Client(scheduler, **local) as client:
        futures = client.map(function, items, pure=False)
        for future in distributed.as_completed(futures):
            result = future.result()
            future.release()
            yield result


ENGINES: dict[str, Engine] = {"serial": serial, "joblib": joblib, "submitit": submitit, "dask": dask}
_LIBRARIES = {"joblib": ("joblib", "lab"), "submitit": ("submitit", "cluster"), "dask": ("distributed", "cluster")}


def check(engine: str, jobs: int = 1) -> None:
    """Raises: ValueError, TypeError if there is no such engine or ``jobs`` is below 1; ModuleNotFoundError naming the
    extra it needs. An engine itself starts when its first result is asked for."""
    one_of("engine", engine, tuple(ENGINES))
    count("jobs", jobs)
    if engine in _LIBRARIES:
        needs(*_LIBRARIES[engine])


def one_thread() -> None:
    """Call at the start of a run in a process of an engine."""
    import torch

    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
