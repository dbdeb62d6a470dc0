" Drives waza-lsp in a real Vim with ALE and writes what it saw as JSON. A problem leaves with a non-zero status.

set nocompatible hidden noswapfile viminfo=
let &runtimepath = $WAZA_CLIENT . ',' . $WAZA_ALE . ',' . &runtimepath
let g:ale_linters = {'yaml': ['waza_lsp']}
let g:ale_yaml_waza_lsp_executable = $WAZA_PYTHON
let g:ale_yaml_waza_lsp_options = '-P -m waza_lsp serve'
let g:ale_yaml_waza_lsp_config = {'waza': {'run': {'executor': 'replay'}}}
let g:ale_yaml_waza_lsp_trusted = [$WAZA_TRUSTED]
runtime plugin/ale.vim
filetype plugin on

function! Until(what, Condition) abort
    let l:end = localtime() + 30

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

" Open the code actions at the cursor, and type the number of the one with a text.
function! Choose(text) abort
    let s:wanted = a:text
    ALECodeAction
endfunction

runtime autoload/ale/util.vim
function! ale#util#Input(message, value) abort
    let l:line = filter(split(a:message, "\n"), {_, it -> stridx(it, s:wanted) >= 0})

    if empty(l:line)
        throw 'Not offered: ' . s:wanted . a:message
    endif

    return matchstr(l:line[0], '^\d\+')
endfunction

function! Drive() abort
    execute 'edit ' . fnameescape($WAZA_EVAL)
    setfiletype yaml
    call ale#Queue(0)
    call Until('a finding', {-> !empty(Findings())})
    let l:finding = Findings()[0]
    let l:seen = {'message': l:finding.text, 'line': l:finding.lnum, 'column': l:finding.col}

    call search('not_contians')
    call Choose("Change to 'not_contains'")
    call Until('a mended key', {-> search('not_contains:', 'nw')})
    silent write
    call ale#Queue(0)
    call Until('the end of the finding', {-> empty(Findings())})

    call cursor(1, 1)
    call search('trials_per_task')
    ALEHover
    call Until('a hover', {-> execute('messages') =~# 'trials_per_task' || !empty(popup_list()) || bufexists('ALEPreviewWindow')})
    let l:seen.hover = execute('messages') . join(map(getbufinfo(), {_, it -> it.name =~# 'ALEPreview' ? join(getbufline(it.bufnr, 1, '$'), "\n") : ''}), '')

    call cursor(1, 1)
    call Choose('Run all')
    call Until('a passed run in the store', {-> system($WAZA_RUNS) =~# 'passed'})
    call append(search("- I don't have access") - 1, '        - e')
    silent write
    call ale#Queue(0)
    call Until('a live verdict', {-> join(map(copy(Findings()), 'v:val.text')) =~# '"e" found in the output'})
    call writefile([json_encode(l:seen)], $WAZA_SEEN)
endfunction

try
    call Drive()
    qall!
catch
    call writefile([v:exception, v:throwpoint], $WAZA_SEEN . '.problem')
    cquit 1
endtry
