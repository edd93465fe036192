import { Lexer, type Token, Tokenizer } from 'marked';

/**
 * Tokenizer without reference definitions: `[1]: https://…` would redirect the mark `[1]` from the source that it
 * cites.
 */
class AnswerTokenizer extends Tokenizer {
  override def(): undefined {
    return undefined;
  }
}

/**
 * Returns the blocks of a Markdown text. Text that cannot be parsed, such as endless nesting, becomes one unchanged
 * paragraph.
 */
export function lexMarkdown(text: string): Token[] {
  try {
    return Lexer.lex(text, { gfm: true, tokenizer: new AnswerTokenizer() });
  } catch {
    return [{ type: 'html', raw: text, text, pre: false, block: true }];
  }
}
