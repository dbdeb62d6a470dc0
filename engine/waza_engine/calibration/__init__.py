"""How well judges agree with people, with each other and with themselves: from recorded trials and kept verdicts."""
