import type { MarkedToken, Token } from 'marked';
import type { ComponentChild, ComponentChildren } from 'preact';
import { resolveReferences } from './character-references.ts';
import { type Citations, withCitations } from './citations.tsx';
import { safeUrl } from './safe-url.ts';
import { depthMax } from './tokens.ts';

/**
 * Renders inline tokens as elements. Only the kinds listed here become elements; HTML stays text, and images become
 * links.
 */
export function inline(tokens: readonly Token[] | undefined, citations: Citations, depth = 0): ComponentChild[] {
  return (tokens ?? []).map((token) =>
    depth > depthMax ? token.raw : inlineToken(token as MarkedToken, citations, depth + 1),
  );
}

function inlineToken(token: MarkedToken, citations: Citations, depth: number): ComponentChild {
  switch (token.type) {
    case 'text':
      if (token.tokens) return <>{inline(token.tokens, citations, depth)}</>;
      return <>{withCitations(token.escaped ? token.text : resolveReferences(token.text), citations)}</>;
    case 'escape':
      return resolveReferences(token.text);
    case 'strong':
      return <strong>{inline(token.tokens, citations, depth)}</strong>;
    case 'em':
      return <em>{inline(token.tokens, citations, depth)}</em>;
    case 'del':
      return <del>{inline(token.tokens, citations, depth)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'link':
      return <Link href={address(token)}>{inline(token.tokens, citations, depth)}</Link>;
    case 'image':
      return <Link href={address(token)}>{resolveReferences(token.text) || 'image'}</Link>;
    default:
      return token.raw;
  }
}

/** Returns the address of a link. In a bare address every character is literal; in other links `&amp;` means `&`. */
function address(token: { href: string; autolink?: boolean }): string {
  return token.autolink ? token.href : resolveReferences(token.href);
}

interface LinkProps {
  href: string;
  children: ComponentChildren;
}

/**
 * Renders a link that opens a new tab, without opener and referrer. If the address is not safe, renders only the text.
 */
function Link({ href, children }: LinkProps) {
  const url = safeUrl(href);
  if (url === undefined) return <>{children}</>;
  return (
    <a class="link" href={url} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
