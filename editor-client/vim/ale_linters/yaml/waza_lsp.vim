" Evals of AI agents: waza-lsp as a linter of ALE.

call ale#Set('yaml_waza_lsp_executable', 'waza-lsp')
call ale#Set('yaml_waza_lsp_options', 'serve')
call ale#Set('yaml_waza_lsp_config', {})
" Folders whose authors you trust. ALE cannot show the server's question, so without this list nothing runs.
call ale#Set('yaml_waza_lsp_trusted', [])

" The nearest folder with a mark, as the server has it. In a worktree or a submodule .git is a file.
function! ale_linters#yaml#waza_lsp#Root(buffer) abort
    let l:own = expand('#' . a:buffer . ':p:h')
    let [l:folder, l:below] = [l:own, '']

    while l:folder isnot# l:below
        for l:mark in ['.git', '.waza.yaml']
            if !empty(getftype(l:folder . '/' . l:mark))
                return l:folder
            endif
        endfor

        let [l:folder, l:below] = [fnamemodify(l:folder, ':h'), l:folder]
    endwhile

    return l:own
endfunction

function! ale_linters#yaml#waza_lsp#Options(buffer) abort
    let l:root = ale_linters#yaml#waza_lsp#Root(a:buffer) . '/'

    for l:folder in ale#Var(a:buffer, 'yaml_waza_lsp_trusted')
        let l:trusted = substitute(fnamemodify(expand(l:folder), ':p'), '/*$', '/', '')

        if l:root[: len(l:trusted) - 1] is# l:trusted
            return {'trusted': v:true}
        endif
    endfor

    return {'trusted': v:false}
endfunction

call ale#linter#Define('yaml', {
\   'name': 'waza_lsp',
\   'lsp': 'stdio',
\   'executable': {buffer -> ale#Var(buffer, 'yaml_waza_lsp_executable')},
\   'command': {buffer -> '%e ' . ale#Var(buffer, 'yaml_waza_lsp_options')},
\   'project_root': function('ale_linters#yaml#waza_lsp#Root'),
\   'initialization_options': function('ale_linters#yaml#waza_lsp#Options'),
\   'lsp_config': {buffer -> ale#Var(buffer, 'yaml_waza_lsp_config')},
\})
