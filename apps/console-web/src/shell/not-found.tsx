import { Link } from '@tanstack/react-router';
import { Alone, useTitle } from './page.tsx';

/** Shown for unknown pages and for pages of other organizations, without distinction. */
export function NotFoundHere() {
  useTitle('Page not found');
  return (
    <Alone>
      <h1>Page not found</h1>
      <p>This page does not exist, or you do not have access to it.</p>
      <p>
        <Link to="/">Go to Today</Link>
      </p>
    </Alone>
  );
}

/** Shown instead of a page that is only for other roles. */
export function NotForYou({ who }: { who: string }) {
  return (
    <Alone>
      <h1>Admins only</h1>
      <p>{who}</p>
    </Alone>
  );
}
