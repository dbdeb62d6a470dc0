;;; drive.el --- What both drivers share -*- lexical-binding: t -*-

(require 'json)
(require 'yaml-mode)
(setq inhibit-message t
      make-backup-files nil
      create-lockfiles nil
      last-nonmenu-event ?a)
(add-to-list 'load-path (getenv "WAZA_CLIENT"))
(require 'waza-lsp)
(setq waza-lsp-command (list (getenv "WAZA_PYTHON") "-P" "-m" "waza_lsp" "serve"))

(defun drive-until (what predicate)
  "Wait until PREDICATE gives something, and return that; WHAT is for the error."
  (let ((end (+ (float-time) 30)) found)
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

(defun drive-choosing (title command)
  "Call COMMAND, and choose what has TITLE in it where it asks."
  (cl-letf (((symbol-function 'completing-read)
             (lambda (_prompt offered &rest _)
               (let ((titles (all-completions "" offered)))
                 (or (seq-find (lambda (it) (string-match-p (regexp-quote title) it)) titles)
                     (error "Not offered: %s but %s" title titles))))))
    (call-interactively command)))

(defun drive-answer (prompt offered &rest _)
  "Answer the server's question about trust, whose PROMPT and OFFERED answers a client shows."
  (unless (string-match-p "Do you trust" prompt)
    (error "An unexpected question: %s" prompt))
  (seq-find (lambda (it) (string-match-p "Trust this folder" it)) (all-completions "" offered)))

(defun drive-finding (findings text)
  "Wait for a finding with TEXT among what FINDINGS returns: lists of a message, its beginning and its end."
  (drive-until (format "a finding with %s" text)
               (lambda () (seq-find (lambda (it) (string-match-p (regexp-quote text) (car it))) (funcall findings)))))

(defun drive-said (text)
  "Wait for a message with TEXT, and return it."
  (drive-until (format "a message with %s" text)
               (lambda ()
                 (with-current-buffer (messages-buffer)
                   (save-excursion
                     (goto-char (point-max))
                     (when (search-backward text nil t)
                       (buffer-substring-no-properties (line-beginning-position) (line-end-position))))))))

(defun drive-steps (findings action capf hover run verdict)
  "Find, fix, complete, hover, run and grade live with a client's functions; return what was seen.
FINDINGS returns the findings, ACTION is the command for code actions, CAPF completes, HOVER returns a text, RUN runs all,
VERDICT returns what is shown of it at last."
  (let* ((finding (drive-finding findings "not_contians"))
         (marked (buffer-substring-no-properties (nth 1 finding) (nth 2 finding))))
    (drive-line-of "not_contians")
    (drive-choosing "Change to 'not_contains'" action)
    (drive-until "a mended key" (lambda () (save-excursion (goto-char (point-min)) (search-forward "not_contains:" nil t))))
    (basic-save-buffer)
    (drive-until "no finding" (lambda () (null (funcall findings))))
    (drive-line-of "not_contains")
    (let ((offered (drive-completions capf)))
      (drive-line-of "trials_per_task")
      (forward-char 2)
      (let ((hovered (funcall hover)))
        (basic-save-buffer)
        (goto-char (point-min))
        (funcall run)
        (let* ((told (drive-said "waza-lsp: "))
               (shown (funcall verdict)))
          (drive-line-of "        - I don't have access")
          (insert "        - e\n")
          (basic-save-buffer)
          `((message . ,(car finding))
            (marked . ,marked)
            (completion . ,offered)
            (hover . ,hovered)
            (told . ,told)
            (shown . ,shown)
            (live . ,(car (drive-finding findings "\"e\" found in the output")))))))))

(defun drive-run (steps)
  "Open the eval, have STEPS done in its buffer, and write what they return."
  (advice-add 'completing-read :override #'drive-answer)
  (condition-case problem
      (let ((seen (with-current-buffer (find-file-noselect (getenv "WAZA_EVAL"))
                    (switch-to-buffer (current-buffer))
                    (yaml-mode)
                    (funcall steps))))
        (with-temp-file (getenv "WAZA_SEEN")
          (insert (json-encode seen)))
        (kill-emacs 0))
    (error
     (princ (format "%S\n%s" problem (with-current-buffer (messages-buffer) (buffer-string))) #'external-debugging-output)
     (kill-emacs 1))))

;;; drive.el ends here
