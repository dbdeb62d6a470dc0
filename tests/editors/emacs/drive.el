;;; drive.el --- What both drivers share -*- lexical-binding: t -*-

(require 'json)
(require 'yaml-mode)
(setq inhibit-message t
      make-backup-files nil
      create-lockfiles nil)
(add-to-list 'load-path (getenv "WAZA_CLIENT"))
(require 'waza-lsp)
(setq waza-lsp-command (list (getenv "WAZA_PYTHON") "-P" "-m" "waza_lsp" "serve"))

(defun drive-until (what predicate)
  "Wait until PREDICATE gives something, and return that; WHAT is for the error."
  (let ((end (+ (float-time) 20)) found)
    (while (not (or (setq found (funcall predicate)) (> (float-time) end)))
      (accept-process-output nil 0.05))
    (or found (error "Nothing came: %s" what))))

(defun drive-line-of (text)
  "Go to the beginning of TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun drive-completions (capf)
  "What CAPF offers on a new line above the point, which is taken back."
  (beginning-of-line)
  (insert "      \n")
  (backward-char 1)
  (prog1 (mapcar #'substring-no-properties (all-completions "" (nth 2 (funcall capf))))
    (delete-region (line-beginning-position) (1+ (line-end-position)))))

(defun drive-mend ()
  "Correct the misspelt key, and save."
  (drive-line-of "not_contians")
  (delete-region (point) (line-end-position))
  (insert "not_contains:")
  (basic-save-buffer))

(defun drive-run (steps)
  "Open the eval, have STEPS done in its buffer, and write what they return."
  (condition-case problem
      (let ((seen (with-current-buffer (find-file-noselect (getenv "WAZA_EVAL"))
                    (switch-to-buffer (current-buffer))
                    (yaml-mode)
                    (funcall steps))))
        (with-temp-file (getenv "WAZA_SEEN")
          (insert (json-encode seen)))
        (kill-emacs 0))
    (error
     (princ (format "%S\n" problem) #'external-debugging-output)
     (kill-emacs 1))))

;;; drive.el ends here
