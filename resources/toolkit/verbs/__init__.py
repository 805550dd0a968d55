"""The verbs. Each module has `add_arguments(parser)` and `run(options, report) -> fields of the result line`."""
