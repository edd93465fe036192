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

/** Maximum length of text in which emphasis and links are searched together. */
const pieceCharsMax = 1_000;

/**
 * Lexer that reads long paragraphs in pieces. marked compares each mark of emphasis with all later marks of a paragraph,
 * which takes seconds for 32,000 characters. Emphasis or a link across the end of a piece stays as it was written.
 */
class AnswerLexer extends Lexer {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    let rest = text;
    while (rest.length > pieceCharsMax) {
      const end = endOfPiece(rest.slice(0, pieceCharsMax));
      super.inlineTokens(rest.slice(0, end), tokens);
      rest = rest.slice(end);
    }
    return super.inlineTokens(rest, tokens);
  }
}

/** Returns the end of the last sentence, otherwise of the last word, otherwise of the text. */
function endOfPiece(text: string): number {
  const sentence = text.lastIndexOf('. ') + 1;
  if (sentence > 0) return sentence;
  const lastSpace = Math.max(0, text.lastIndexOf(' '), text.lastIndexOf('\n'));
  const endOfWord = text.slice(0, lastSpace).trimEnd().length;
  return endOfWord > 0 ? endOfWord : text.length;
}

/**
 * Returns the blocks of a Markdown text. Text that cannot be parsed, for example because it is nested too deeply,
 * becomes one unchanged paragraph.
 */
export function lexMarkdown(text: string): Token[] {
  try {
    return new AnswerLexer({ gfm: true, tokenizer: new AnswerTokenizer() }).lex(text);
  } catch {
    return [{ type: 'html', raw: text, text, pre: false, block: true }];
  }
}
