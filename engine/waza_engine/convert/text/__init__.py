"""Texts of converted files: comments, the comment that keeps what a dialect lacks, and YAML."""
