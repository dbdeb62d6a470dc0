;;; drive-lsp.el --- Findings, fixes, completion, hover, lenses, a run and a live verdict with lsp-mode -*- lexical-binding: t -*-

(load (expand-file-name "drive.el" (file-name-directory load-file-name)) nil t)
(require 'lsp-mode)
(require 'lsp-completion)
(require 'lsp-diagnostics)
(require 'lsp-lens)
(setq lsp-auto-guess-root t
      lsp-session-file (make-temp-file "waza-lsp-session")
      lsp-lens-enable t
      lsp-enable-file-watchers nil
      ;; Else lsp-mode looks for a YAML server to install.
      lsp-enabled-clients '(waza-lsp)
      lsp-diagnostics-provider :none
      waza-lsp-settings '(:run (:executor "replay")))

(defun drive-lens (text)
  "The lens with TEXT that is shown, as the text with its properties; nil without."
  (seq-find (lambda (it) (string-match-p text it))
            (apply #'append (mapcar (lambda (it) (overlay-get it 'lsp--metadata)) lsp-lens--overlays))))

(drive-run
 (lambda ()
   (lsp)
   (drive-until "a lens in the first file" (lambda () (drive-lens "Run all")))
   (drive-steps
    (lambda ()
      (mapcar (lambda (it)
                (let ((range (lsp:diagnostic-range it)))
                  (list (lsp:diagnostic-message it)
                        (lsp--position-to-point (lsp:range-start range))
                        (lsp--position-to-point (lsp:range-end range)))))
              (gethash buffer-file-name (lsp-diagnostics t))))
    #'lsp-execute-code-action
    #'lsp-completion-at-point
    (lambda ()
      (lsp:markup-content-value
       (lsp:hover-contents (lsp-request "textDocument/hover" (lsp--text-document-position-params)))))
    (lambda () (call-interactively (get-text-property 0 'action (drive-lens "Run all"))))
    (lambda () (substring-no-properties (drive-until "a verdict in the lens" (lambda () (drive-lens "4 of 4 passed"))))))))

;;; drive-lsp.el ends here
