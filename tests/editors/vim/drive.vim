" Drives waza-lsp in a real Vim with ALE and writes what it saw as JSON. A problem leaves with a non-zero status.

set nocompatible hidden noswapfile viminfo=
let &runtimepath = $WAZA_CLIENT . ',' . $WAZA_ALE . ',' . &runtimepath
let g:ale_linters = {'yaml': ['waza_lsp']}
let g:ale_yaml_waza_lsp_executable = $WAZA_PYTHON
let g:ale_yaml_waza_lsp_options = '-P -m waza_lsp serve'
let g:ale_yaml_waza_lsp_config = {'waza': {'run': {'executor': 'replay'}}}
runtime plugin/ale.vim
filetype plugin on

function! Until(what, Condition) abort
    let l:end = localtime() + 20

    while localtime() < l:end
        if a:Condition()
            return
        endif

        sleep 50m
    endwhile

    throw 'Nothing came: ' . a:what
endfunction

function! Findings() abort
    return ale#engine#GetLoclist(bufnr(''))
endfunction

function! Drive() abort
    execute 'edit ' . fnameescape($WAZA_EVAL)
    setfiletype yaml
    call ale#Queue(0)
    call Until('a finding', {-> !empty(Findings())})
    let l:finding = Findings()[0]
    let l:seen = {'message': l:finding.text, 'line': l:finding.lnum, 'column': l:finding.col}

    call search('not_contians')
    substitute/not_contians/not_contains/
    call ale#Queue(0)
    call Until('the end of the finding', {-> empty(Findings())})

    call cursor(1, 1)
    call search('trials_per_task')
    ALEHover
    call Until('a hover', {-> execute('messages') =~# 'trials_per_task' || !empty(popup_list()) || bufexists('ALEPreviewWindow')})
    let l:seen.hover = execute('messages') . join(map(getbufinfo(), {_, it -> it.name =~# 'ALEPreview' ? join(getbufline(it.bufnr, 1, '$'), "\n") : ''}), '')
    call writefile([json_encode(l:seen)], $WAZA_SEEN)
endfunction

try
    call Drive()
    qall!
catch
    call writefile([v:exception, v:throwpoint], $WAZA_SEEN . '.problem')
    cquit 1
endtry
