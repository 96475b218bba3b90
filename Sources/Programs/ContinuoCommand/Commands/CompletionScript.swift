import ArgumentParser

enum CompletionScript {
  /// Returns Bash's script if the arguments request it; nil for all else, which the parser handles correctly.
  static func asked(by arguments: some Collection<String>) -> String? {
    let option = "--generate-completion-script"
    let words = Array(arguments)
    guard words == [option, "bash"] || words == ["\(option)=bash"] else { return nil }
    return RootCommand.completionScript(for: .bash) + wordsWithColons
  }

  /// A wrapper around the parser's script: Bash splits `3:home` into three words, but the script expects one.
  private static let wordsWithColons = #"""


    # Puts together what Bash has split at colons, and takes away again what it has left of the cursor.
    _continuo_with_colons() {
        local -a words=()
        local line="${COMP_LINE}" word gap
        local -i index last=-1 current=0
        for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
            word="${COMP_WORDS[index]}"
            gap="${line%%[^[:space:]]*}"
            line="${line#"${gap}"}"
            if [[ last -ge 0 && -z "${gap}" && ("${word}" = :* || "${COMP_WORDS[index - 1]}" = *:) ]]; then
                words[last]+="${word}"
            else
                words[++last]="${word}"
            fi
            line="${line#"${word}"}"
            [[ index -eq COMP_CWORD ]] && current=last
        done
        local -a COMP_WORDS=("${words[@]}")
        local -i COMP_CWORD=current
        local -r whole="${words[current]}"
        _continuo "${1}" "${whole}" "${words[current - 1]}"
        if [[ "${whole}" = *:* && "${COMP_WORDBREAKS}" = *:* ]]; then
            COMPREPLY=("${COMPREPLY[@]#"${whole%:*}:"}")
        fi
        [[ "${#COMPREPLY[@]}" -eq 1 && "${COMPREPLY[0]}" = *[:/] ]] && compopt -o nospace
    }

    complete -o filenames -F _continuo_with_colons continuo

    """#
}
