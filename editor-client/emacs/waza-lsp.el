;;; waza-lsp.el --- Evals of AI agents in Emacs -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; Tells eglot and lsp-mode how to start waza-lsp for YAML files.

;;; Code:

(defgroup waza-lsp nil
  "Language server for AI-agent eval files."
  :group 'tools)

(defcustom waza-lsp-command '("waza-lsp" "serve")
  "The program that is started, with its arguments."
  :type '(repeat string))

(defcustom waza-lsp-settings nil
  "Settings for lsp-mode, below \"waza\": (:run (:executor \"replay\"))."
  :type 'plist)

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  ;; A function, so that a later change of `waza-lsp-command' counts.
  (add-to-list 'eglot-server-programs
               (cons '(yaml-mode yaml-ts-mode) (lambda (&rest _) waza-lsp-command))))

(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(defun waza-lsp--configuration (_workspace _params)
  "What the server is answered when it asks for settings."
  (vector waza-lsp-settings))

(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () waza-lsp-command))
    :activation-fn (lambda (file &rest _)
                     (and file (string-match-p "\\.ya?ml\\'" file)))
    :request-handlers (let ((handlers (make-hash-table :test 'equal)))
                        (puthash "workspace/configuration" #'waza-lsp--configuration handlers)
                        handlers)
    ;; Beside lsp-mode's own client for YAML, which may stay.
    :add-on? t
    :server-id 'waza-lsp)))

(provide 'waza-lsp)
;;; waza-lsp.el ends here
