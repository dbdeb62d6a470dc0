;;; waza-lsp.el --- Evals of AI agents in Emacs -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; Tells eglot and lsp-mode how to start waza-lsp for YAML files.  Both wait at most ten seconds for the answer of a command,
;; and let you do nothing else until then.  A run takes longer, so its commands are sent without waiting.

;;; Code:

(require 'eieio)

(defgroup waza-lsp nil
  "Language server for AI-agent eval files."
  :group 'tools)

(defcustom waza-lsp-command '("waza-lsp" "serve")
  "The program that is started, with its arguments."
  :type '(repeat string))

(defcustom waza-lsp-settings nil
  "Settings for lsp-mode, below \"waza\": (:run (:executor \"replay\"))."
  :type 'plist)

(defconst waza-lsp-run-commands '("waza.runTask" "waza.runEval" "waza.runFailed" "waza.grade")
  "The commands that take as long as an agent needs.")

(defun waza-lsp--announce (status score)
  "Say how a run ended: its STATUS, if it has one, and its SCORE."
  (when status
    (message "waza-lsp: %s%s" status (if (numberp score) (format ", score %.2f" score) ""))))

;;; eglot

(defvar eglot-server-programs)
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function eglot-execute "eglot")
(declare-function waza-lsp-eglot-server--eieio-childp "waza-lsp")

(defun waza-lsp--eglot-run (server command arguments)
  "Have SERVER carry out COMMAND with ARGUMENTS, and return at once."
  (jsonrpc-async-request server :workspace/executeCommand (list :command command :arguments arguments)
                         :timeout nil
                         :success-fn (lambda (answer)
                                       (waza-lsp--announce (plist-get answer :status) (plist-get answer :score)))
                         :error-fn (lambda (problem)
                                     (message "waza-lsp: %s" (plist-get problem :message))))
  nil)

(with-eval-after-load 'eglot
  (defclass waza-lsp-eglot-server (eglot-lsp-server) ()
    :documentation "A server whose runs are not waited for.")

  ;; Up to Emacs 29.
  (cl-defmethod eglot-execute-command ((server waza-lsp-eglot-server) command arguments)
    (if (member (format "%s" command) waza-lsp-run-commands)
        (waza-lsp--eglot-run server (format "%s" command) arguments)
      (cl-call-next-method)))

  (when (fboundp 'eglot-execute)
    (cl-defmethod eglot-execute ((server waza-lsp-eglot-server) action)
      (if (member (plist-get action :command) waza-lsp-run-commands)
          (waza-lsp--eglot-run server (plist-get action :command) (plist-get action :arguments))
        (cl-call-next-method))))

  ;; A function, so that a later change of `waza-lsp-command' counts.
  (add-to-list 'eglot-server-programs
               (cons '(yaml-mode yaml-ts-mode)
                     (lambda (&rest _) (cons 'waza-lsp-eglot-server waza-lsp-command)))))

;;; lsp-mode

(declare-function lsp-get "lsp-mode")
(declare-function lsp-register-client "lsp-mode")
(declare-function lsp-request-async "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function make-lsp-client "lsp-mode")

(defun waza-lsp--lsp-run (action)
  "Have the server carry out the command ACTION, and return at once."
  (lsp-request-async "workspace/executeCommand"
                     (list :command (lsp-get action :command) :arguments (lsp-get action :arguments))
                     (lambda (answer)
                       (when answer
                         (waza-lsp--announce (lsp-get answer :status) (lsp-get answer :score))))
                     :mode 'detached))

(defun waza-lsp--configuration (_workspace _params)
  "What the server is answered when it asks for settings."
  (vector waza-lsp-settings))

(defun waza-lsp--handlers (names handler)
  "Return a table that has HANDLER for each of NAMES."
  (let ((handlers (make-hash-table :test 'equal)))
    (dolist (name names handlers)
      (puthash name handler handlers))))

(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () waza-lsp-command))
    :activation-fn (lambda (file &rest _)
                     (and file (string-match-p "\\.ya?ml\\'" file)))
    :request-handlers (waza-lsp--handlers '("workspace/configuration") #'waza-lsp--configuration)
    :action-handlers (waza-lsp--handlers waza-lsp-run-commands #'waza-lsp--lsp-run)
    ;; Beside lsp-mode's own client for YAML, which may stay.
    :add-on? t
    :server-id 'waza-lsp)))

(provide 'waza-lsp)
;;; waza-lsp.el ends here
