" Evals of AI agents: waza-lsp in vim-lsp. Not yet tried.
if executable('waza-lsp')
    augroup waza_lsp
        autocmd!
        autocmd User lsp_setup call lsp#register_server({
        \   'name': 'waza-lsp',
        \   'cmd': {_ -> ['waza-lsp', 'serve']},
        \   'allowlist': ['yaml', 'yaml.ansible'],
        \   'workspace_config': {'waza': {'run': {'executor': ''}}},
        \   'root_uri': {_ -> lsp#utils#path_to_uri(lsp#utils#find_nearest_parent_file_directory(
        \       lsp#utils#get_buffer_path(), ['.waza.yaml', '.git', '.git/']))},
        \})
    augroup END
endif
