;;; drive-lsp.el --- Findings, completion, hover and a run with lsp-mode -*- lexical-binding: t -*-

(load (expand-file-name "drive.el" (file-name-directory load-file-name)) nil t)
(require 'lsp-mode)
(require 'lsp-completion)
(require 'lsp-diagnostics)
(setq lsp-auto-guess-root t
      lsp-session-file (make-temp-file "waza-lsp-session")
      lsp-enable-file-watchers nil
      ;; Else lsp-mode looks for a YAML server to install.
      lsp-enabled-clients '(waza-lsp)
      lsp-diagnostics-provider :none
      waza-lsp-settings '(:run (:executor "replay")))

(drive-run
 (lambda ()
   (lsp)
   (let* ((found (drive-until "a diagnostic"
                              (lambda () (gethash buffer-file-name (lsp-diagnostics t)))))
          (finding (car found))
          (range (lsp:diagnostic-range finding))
          (marked (buffer-substring (lsp--position-to-point (lsp:range-start range))
                                    (lsp--position-to-point (lsp:range-end range)))))
     (drive-mend)
     (drive-line-of "not_contains")
     (let ((offered (drive-completions #'lsp-completion-at-point)))
       (drive-line-of "trials_per_task")
       (forward-char 2)
       (let* ((hover (lsp-request "textDocument/hover" (lsp--text-document-position-params)))
              (lenses (lsp-request "textDocument/codeLens"
                                   `(:textDocument ,(lsp--text-document-identifier))))
              (command (lsp:code-lens-command? (elt lenses 0)))
              (verdict (lsp-request "workspace/executeCommand"
                                    `(:command ,(lsp:command-command command)
                                               :arguments ,(lsp:command-arguments? command)))))
         `((message . ,(lsp:diagnostic-message finding))
           (marked . ,marked)
           (completion . ,offered)
           (hover . ,(lsp:markup-content-value (lsp:hover-contents hover)))
           (lens . ,(lsp:command-title command))
           (status . ,(lsp-get verdict :status))
           (told . ,(lsp-get verdict :error))
           (tasks . ,(length (lsp-get verdict :tasks)))))))))

;;; drive-lsp.el ends here
