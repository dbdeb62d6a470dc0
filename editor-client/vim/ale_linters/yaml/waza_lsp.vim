" Evals of AI agents: waza-lsp as a linter of ALE.

call ale#Set('yaml_waza_lsp_executable', 'waza-lsp')
call ale#Set('yaml_waza_lsp_options', 'serve')
call ale#Set('yaml_waza_lsp_config', {})

function! ale_linters#yaml#waza_lsp#Root(buffer) abort
    for l:mark in ['.git/', '.waza.yaml']
        let l:found = l:mark =~# '/$'
        \   ? ale#path#FindNearestDirectory(a:buffer, l:mark)
        \   : ale#path#FindNearestFile(a:buffer, l:mark)

        if !empty(l:found)
            return fnamemodify(l:found, l:mark =~# '/$' ? ':p:h:h' : ':p:h')
        endif
    endfor

    return expand('#' . a:buffer . ':p:h')
endfunction

call ale#linter#Define('yaml', {
\   'name': 'waza_lsp',
\   'lsp': 'stdio',
\   'executable': {buffer -> ale#Var(buffer, 'yaml_waza_lsp_executable')},
\   'command': {buffer -> '%e ' . ale#Var(buffer, 'yaml_waza_lsp_options')},
\   'project_root': function('ale_linters#yaml#waza_lsp#Root'),
\   'lsp_config': {buffer -> ale#Var(buffer, 'yaml_waza_lsp_config')},
\})
