import { type ComponentType, use } from 'react';
import { probeService } from '../api/client.ts';
import { reportOutage } from '../api/connection.ts';
import { unreachable } from '../api/failure.ts';

const pages: (() => Promise<unknown>)[] = [];

/**
 * Declares a page whose script is loaded when the page is first opened, or earlier by `loadAllPages`. If the service
 * does not respond, the page shows a failure. The router's own fallback would reload the page and so lose its content.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
  { isAhead = true } = {},
) {
  let page: ComponentType | undefined;
  let loading: Promise<void> | undefined;
  const preload = () =>
    (loading ??= load().then(
      (module) => void (page = module[name]),
      async (error: unknown) => {
        loading = undefined;
        throw await failureOf(error);
      },
    ));
  if (isAhead) pages.push(preload);
  const LazyPage = () => {
    if (!page) use(preload());
    const Page = page!;
    return <Page />;
  };
  return Object.assign(LazyPage, { preload });
}

/** The script of a page is missing although the service responds, because another release was deployed. */
class OtherReleaseError extends Error {
  override name = 'OtherReleaseError';
}

async function failureOf(error: unknown): Promise<unknown> {
  const askedMs = await probeService();
  if (askedMs === undefined)
    return new OtherReleaseError('A script of this page is missing. Reload the page.', { cause: error });
  reportOutage(askedMs);
  return unreachable(true, error);
}

const reloadedName = 'relata.reloaded';

/** Reloads the page once if its script is missing because another release was deployed. */
export function reloadForRelease(error: unknown): void {
  if (!(error instanceof OtherReleaseError) || sessionStorage.getItem(reloadedName) === location.href) return;
  sessionStorage.setItem(reloadedName, location.href);
  location.reload();
}

/**
 * Loads the scripts of all pages one by one, so that pages open immediately, also during an outage. The script of the
 * editor is loaded when it is opened, because few people use it.
 */
export async function loadAllPages(): Promise<void> {
  for (const preload of pages) await preload();
}
