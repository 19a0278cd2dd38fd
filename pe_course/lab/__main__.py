"""``python -m pe_course.lab``: one run, many runs, a table of what is stored, or a comparison with it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from pe_course._extras import needs
from pe_course.lab import show
from pe_course.lab.config import METHODS, TASKS, Config
from pe_course.lab.engines import ENGINES
from pe_course.lab.plans import PLANS, chosen
from pe_course.lab.results import STORED, ResultsError, ResultsFile

AXES_OF_A_SWEEP = ("method", "task", "steps", "seed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0, 1 if a run failed or results are apart, 2 on bad input."""
    options = _parser().parse_args(arguments)
    try:
        return options.action(options)
    except (ValueError, TypeError, ResultsError, FileNotFoundError, ModuleNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    tqdm = needs("tqdm", "lab").tqdm
    needs("torch", "lab")
    from pe_course.lab.experiment import row

    config = Config(**{field.name: getattr(options, field.name) for field in fields(Config)})
    first = os.environ.get("RANK", "0") == "0"
    hidden = options.quiet or not first
    if options.output:
        ResultsFile(options.output).check_setting(config)
    found = row(
        config,
        device=options.device,
        progress=lambda steps: tqdm(steps, total=config.steps, disable=hidden, unit="step"),
    )
    if first and options.output:
        with ResultsFile(options.output).writing() as file:
            file.append(found)
    elif first:
        print(json.dumps(found, indent=None if options.quiet else 2))
    return 0


def _sweep(options: argparse.Namespace) -> int:
    needs("torch", "lab")
    from pe_course.lab.sweep import print_report, sweep

    changed = {f.name: getattr(options, f.name) for f in fields(Config) if f.name not in AXES_OF_A_SWEEP}
    planned = chosen(
        Config(**changed),
        plan=options.plan,
        tasks=options.task,
        methods=options.method,
        steps=options.steps,
        seeds=options.seed,
    )
    if not planned:
        raise ValueError("nothing is planned: the plan has no run with these tasks, methods, steps and seeds")
    if options.dry:
        for run in planned:
            print(f"{run.file}.jsonl: {run.config.command}")
        return 0
    report = sweep(
        planned,
        options.output,
        engine=options.engine,
        device=options.device,
        progress=not options.quiet,
        **_engine_options(options),
    )
    print_report(report)
    return 1 if report.failed else 0


def _engine_options(options: argparse.Namespace) -> dict:
    found: dict = {"jobs": options.jobs}
    if options.engine == "submitit":
        parameters = json.loads(options.slurm) if options.slurm else {}
        found |= {"cluster": options.cluster, "folder": str(Path(options.output) / "jobs"), "parameters": parameters}
    if options.engine == "dask":
        found["scheduler"] = options.scheduler
    return found


def _show(options: argparse.Namespace) -> int:
    rows = show.read(options.name, options.output)
    print(show.table(rows, steps=options.steps))
    return 0


def _compare(options: argparse.Namespace) -> int:
    away, compared = show.apart(show.read(options.name, options.output), show.read(options.name), steps=options.steps)
    if not compared:
        raise ValueError(f"nothing to compare: no method has rows with {options.steps} steps in both")
    print("\n".join([*away, f"{compared - len(away)} of {compared} means agree with the stored ones"]))
    return 1 if away else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pe_course.lab", description="Train short, test long.")
    actions = parser.add_subparsers(required=True, metavar="run | sweep | show | compare")

    run = actions.add_parser("run", help="one training and its tests; under torchrun, over several devices")
    _config_arguments(run, leave_out=())
    run.add_argument("--output", help="results file to append the row to; without it the row is printed")
    run.set_defaults(action=_run)

    sweep = actions.add_parser("sweep", help="many runs; goes on where it stopped")
    sweep.add_argument("--plan", choices=PLANS, help="a named set of runs, which the next four narrow")
    sweep.add_argument("--task", nargs="+", default=[], metavar="TASK", help=f"out of {', '.join(TASKS)}")
    sweep.add_argument("--method", nargs="+", default=[], metavar="METHOD", help=f"out of {', '.join(METHODS)}")
    sweep.add_argument("--steps", nargs="+", type=int, default=[], metavar="N")
    sweep.add_argument("--seed", nargs="+", type=int, default=[], metavar="N")
    _config_arguments(sweep, leave_out=AXES_OF_A_SWEEP)
    sweep.add_argument("--output", default="lab_results", help="folder of the results files (default: lab_results)")
    sweep.add_argument("--engine", default="joblib", choices=ENGINES)
    sweep.add_argument("--jobs", type=int, default=2, help="runs at a time (default: 2)")
    sweep.add_argument("--cluster", default="slurm", choices=["slurm", "local"], help="of the engine submitit")
    sweep.add_argument("--slurm", metavar="JSON", help='for submitit, such as \'{"slurm_partition": "gpu"}\'')
    sweep.add_argument("--scheduler", metavar="ADDRESS", help="of the Dask cluster; without it one is started here")
    sweep.add_argument("--dry", action="store_true", help="list the runs only")
    sweep.set_defaults(action=_sweep)

    shown = actions.add_parser("show", help="a table of stored results")
    shown.add_argument("name", choices=STORED)
    shown.add_argument("--steps", type=int, default=500)
    shown.add_argument("--output", help="folder of results files; without it those of the package")
    shown.set_defaults(action=_show)

    compared = actions.add_parser("compare", help="are results made again those that are stored, within their spread?")
    compared.add_argument("name", choices=STORED[:-1])
    compared.add_argument("--steps", type=int, default=500)
    compared.add_argument("--output", default="lab_results", help="folder of the new results (default: lab_results)")
    compared.set_defaults(action=_compare)
    return parser


def _config_arguments(parser: argparse.ArgumentParser, leave_out: Sequence[str]) -> None:
    for field in fields(Config):
        if field.name not in leave_out:
            name = f"--{field.name.replace('_', '-')}"
            kind = type(field.default)
            parser.add_argument(name, type=kind, default=field.default, help=f"default: {field.default}")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1, …")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


if __name__ == "__main__":
    sys.exit(main())
