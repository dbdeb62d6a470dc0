;;; drive-eglot.el --- Findings, fixes, completion, hover, a run and a live verdict with eglot -*- lexical-binding: t -*-

(load (expand-file-name "drive.el" (file-name-directory load-file-name)) nil t)
(require 'eglot)
(setq eglot-autoshutdown t
      eglot-sync-connect 20)
(setq-default eglot-workspace-configuration '(:waza (:run (:executor "replay"))))

(drive-run
 (lambda ()
   ;; `eglot-ensure' waits for a hook that batch mode never runs.
   (apply #'eglot (eglot--guess-contact))
   (drive-steps
    (lambda ()
      (flymake-start)
      (mapcar (lambda (it) (list (flymake-diagnostic-text it) (flymake-diagnostic-beg it) (flymake-diagnostic-end it)))
              (flymake-diagnostics)))
    #'eglot-code-actions
    #'eglot-completion-at-point
    (lambda ()
      (plist-get (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover
                                             (eglot--TextDocumentPositionParams))
                            :contents)
                 :value))
    (lambda () (drive-choosing "Run all" #'eglot-code-actions))
    #'ignore)))

;;; drive-eglot.el ends here
