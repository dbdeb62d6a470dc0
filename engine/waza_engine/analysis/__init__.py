"""Static checking: schema validation, rules, and the pipeline that runs both."""
