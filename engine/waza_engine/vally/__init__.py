"""What several of vally's grader types share: how a trial is read, checked texts and files, processes, judging."""
