# SPDX-License-Identifier: BSD-2-Clause
# fish completion for boxscore: what the bash completion beside it offers, which asks the program itself.

set -g __boxscore_script (status dirname)/../../bash-completion/completions/boxscore
test -r $__boxscore_script; or set -g __boxscore_script (status dirname)/boxscore

function __boxscore_complete
	set -l words (commandline -opc) (commandline -ct)
	set -l offered (bash -c 'source "$1" 2>/dev/null
		COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
		_boxscore
		printf "%s\n" "${COMPREPLY[@]}"' boxscore $__boxscore_script $words 2>/dev/null | string match -r '.+')
	if test (count $offered) -gt 0
		printf '%s\n' $offered
	else
		__fish_complete_path (commandline -ct)
	end
end

complete -c boxscore -f -a '(__boxscore_complete)'
