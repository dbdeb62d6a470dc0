;;; drive-eglot.el --- Findings, completion, hover and a run with eglot -*- lexical-binding: t -*-

(load (expand-file-name "drive.el" (file-name-directory load-file-name)) nil t)
(require 'eglot)
(setq eglot-autoshutdown t
      eglot-sync-connect 20)
(setq-default eglot-workspace-configuration '(:waza (:run (:executor "replay"))))

(defun drive-request (method params)
  "The answer of the server."
  (jsonrpc-request (eglot-current-server) method params :timeout 30))

(drive-run
 (lambda ()
   ;; `eglot-ensure' waits for a hook that batch mode never runs.
   (apply #'eglot (eglot--guess-contact))
   (let* ((finding (drive-until "a diagnostic"
                                (lambda () (flymake-start) (car (flymake-diagnostics)))))
          (marked (buffer-substring (flymake-diagnostic-beg finding) (flymake-diagnostic-end finding)))
          (uri (plist-get (eglot--TextDocumentIdentifier) :uri)))
     (drive-mend)
     (drive-line-of "not_contains")
     (let ((offered (drive-completions #'eglot-completion-at-point)))
       (drive-line-of "trials_per_task")
       (forward-char 2)
       (let* ((hover (drive-request :textDocument/hover (eglot--TextDocumentPositionParams)))
              (lenses (drive-request :textDocument/codeLens `(:textDocument (:uri ,uri))))
              (command (plist-get (aref lenses 0) :command))
              (verdict (drive-request :workspace/executeCommand
                                      `(:command ,(plist-get command :command)
                                                 :arguments ,(plist-get command :arguments)))))
         `((message . ,(flymake-diagnostic-text finding))
           (marked . ,marked)
           (completion . ,offered)
           (hover . ,(plist-get (plist-get hover :contents) :value))
           (lens . ,(plist-get command :title))
           (status . ,(plist-get verdict :status))
           (told . ,(plist-get verdict :error))
           (tasks . ,(length (plist-get verdict :tasks)))))))))

;;; drive-eglot.el ends here
