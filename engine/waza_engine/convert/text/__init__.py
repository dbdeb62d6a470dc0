"""Comments of converted files: those that move, and the one that keeps what a dialect lacks."""
