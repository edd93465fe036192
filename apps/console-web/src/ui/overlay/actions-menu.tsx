import { Ellipsis } from 'lucide-react';
import { lazy, Suspense } from 'react';
import css from './overlay.module.css';

const Menu = lazy(() => import('./menu.tsx'));

interface ActsMenuProps {
  name: string;
  items: readonly { name: string; run: () => void }[];
}

export function ActionsMenu({ name, items }: ActsMenuProps) {
  return (
    <Suspense fallback={<span className={css.dots} />}>
      <Menu
        label={`Actions for ${name}`}
        className={css.dots}
        trigger={<Ellipsis size={16} aria-hidden />}
        items={items}
      />
    </Suspense>
  );
}
