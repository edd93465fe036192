import type { SourceLink } from '../chat/message.ts';
import { hostOf, safeUrl } from '../markdown/safe-url.ts';
import { icons } from './icons.tsx';

/** Where a link leads is worth a line only if it leads away. */
const isElsewhere = (url: string) => hostOf(url) !== hostOf(location.href);

/** The pages an answer rests on. */
export function SourceList({ sources }: { sources: readonly SourceLink[] }) {
  const links = sources.flatMap((source) => {
    const url = safeUrl(source.url);
    return url === undefined ? [] : [{ ...source, url }];
  });
  if (links.length === 0) return null;
  return (
    <section class="sources" part="sources" aria-label="Sources">
      <p class="label">Sources</p>
      <ul>
        {links.map(({ id, title, url }) => (
          <li key={id}>
            <a href={url} target="_blank" rel="noopener noreferrer nofollow">
              <span class="number">{id}</span>
              <span class="title">{title || hostOf(url)}</span>
              {isElsewhere(url) && <span class="host">{hostOf(url)}</span>}
              {icons.arrow}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
