import type { SourceLink } from '../chat/message.ts';
import { shownHost, safeUrl } from '../markdown/safe-url.ts';
import { icons } from './icons.tsx';

/** Returns true for a link to another site, whose host is then shown. */
const isElsewhere = (url: string) => shownHost(url) !== shownHost(location.href);

interface SourceListProps {
  sources: readonly SourceLink[];
  /** Displayed number of each source, by the id of the source. */
  numbers: ReadonlyMap<string, number>;
  /** Number of the answer in the conversation, from 1. */
  answer: number;
}

/** Shows the pages on which an answer is based, in the order of their numbers. */
export function SourceList({ sources, numbers, answer }: SourceListProps) {
  const links = sources
    .flatMap((source) => {
      const url = safeUrl(source.url);
      return url === undefined ? [] : [{ ...source, url, number: numbers.get(source.id)! }];
    })
    .toSorted((a, b) => a.number - b.number);
  if (links.length === 0) return null;
  return (
    <section class="sources" part="sources" aria-label={`Sources of answer ${answer}`}>
      <p class="label">Sources</p>
      <ul>
        {links.map(({ id, number, title, url }) => (
          <li key={id}>
            <a href={url} target="_blank" rel="noopener noreferrer nofollow">
              <span class="number">{number}</span>
              <span class="page">
                <span class="title">{title || shownHost(url)}</span>
                {isElsewhere(url) && <span class="host">{shownHost(url)}</span>}
              </span>
              {icons.arrow}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
