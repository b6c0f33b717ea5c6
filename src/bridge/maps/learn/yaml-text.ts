/** Texts as YAML writes them: plain where nothing can be misread, else in quotes. */

const PLAIN = /^[\p{L}][\p{L}\p{N} ()/._-]*(?<! )$/u
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i

export function yamlText(text: string): string {
  return PLAIN.test(text) && !WORDS.test(text) ? text : JSON.stringify(text)
}
