import { Lexer, type Token, Tokenizer } from 'marked';

/** Without reference definitions: `[1]: https://…` would take the mark `[1]` away from the source it cites. */
class AnswerTokenizer extends Tokenizer {
  override def(): undefined {
    return undefined;
  }
}

/** The blocks of a Markdown text. What cannot be read, as nesting without end, is one paragraph as it was written. */
export function lexMarkdown(text: string): Token[] {
  try {
    return Lexer.lex(text, { gfm: true, tokenizer: new AnswerTokenizer() });
  } catch {
    return [{ type: 'html', raw: text, text, pre: false, block: true }];
  }
}
