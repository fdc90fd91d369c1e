"""Text of the Execution level."""

from __future__ import annotations

from pyptogen.lower.execution.ir import ExecutionGraph


def print_graph(graph: ExecutionGraph) -> str:
    """Workspace, cuts and launches."""
    lines = [f"execution {graph.name} on {graph.platform}; launch ranges of {graph.launch_dim}"]
    lines += [f"  at most {graph.cores} blocks"] if graph.cores else []
    for space in graph.workspaces:
        held = f", {space.row} an index of a range" if space.row else ""
        lines.append(f"  workspace {space.name}: {space.dtype}[{space.elements}]{held}")
    for cut in graph.cuts:
        when = " and ".join(f"{n} {o} {v}" for n, o, v in cut.when) or "always"
        sizes = "greedy " + ", ".join(map(str, cut.sizes)) if cut.sizes else "one range"
        lines.append(f"  cut when {when}: {sizes}, plan {cut.plan}")
    for number, plan in enumerate(graph.plans):
        lines.append(f"  plan {number}")
        for launch in plan:
            tiles = f" tiles {launch.tiles}" if launch.tiles else ""
            after = f" after {', '.join(launch.after)}" if launch.after else ""
            priority = f" priority {launch.priority}" if launch.priority else ""
            distributed = f" or rows / {launch.rows}" if launch.rows else ""
            calls = launch.programs or ((launch.kernel, launch.arguments),)
            call = " beside ".join(f"{name}({', '.join(arguments)})" for name, arguments in calls)
            lines.append(f"    launch {call} on {launch.core}{tiles}{distributed}{after}{priority}")
            lines += [f"      fifo {r.name}: {r.dtype}[{r.elements}] for each block" for r in launch.fifos]
    return "\n".join(lines) + "\n"
