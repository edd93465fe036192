import { Lexer, type Token, Tokenizer } from 'marked';

/**
 * Tokenizer without reference definitions: `[1]: https://…` would make the citation `[1]` link to this address instead
 * of its source.
 */
class AnswerTokenizer extends Tokenizer {
  override def(): undefined {
    return undefined;
  }
}

/**
 * Returns the blocks of a Markdown text. Text that cannot be parsed, for example because it is nested too deeply,
 * becomes one unchanged paragraph.
 */
export function lexMarkdown(text: string): Token[] {
  try {
    return Lexer.lex(text, { gfm: true, tokenizer: new AnswerTokenizer() });
  } catch {
    return [{ type: 'html', raw: text, text, pre: false, block: true }];
  }
}
