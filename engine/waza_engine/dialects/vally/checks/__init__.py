"""Facts about vally's files that several rules use."""
