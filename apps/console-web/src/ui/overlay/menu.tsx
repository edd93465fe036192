import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import css from './overlay.module.css';

interface MenuItem {
  name: string;
  hint?: string;
  isCurrent?: boolean;
  run: () => void;
}

interface MenuProps {
  label: string;
  trigger: ReactNode;
  items: readonly MenuItem[];
  className?: string;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
}

/** The element of the page. It is looked up when a menu opens, because a render of the frame may have replaced it. */
const page = {
  get current() {
    return document.getElementById('page');
  },
};

export default function Menu({ label, trigger, items, className, isOpen, onOpenChange }: MenuProps) {
  return (
    <Base.Root modal={false} open={isOpen} onOpenChange={(open) => onOpenChange?.(open)}>
      <Base.Trigger className={className} aria-label={label}>
        {trigger}
      </Base.Trigger>
      {/* Renders inside the page's landmark, like all content. */}
      <Base.Portal container={page}>
        <Base.Positioner align="start" sideOffset={4} className={css.positioner}>
          <Base.Popup className={css.menu}>
            {items.map(({ name, hint, isCurrent, run }) => (
              <Base.Item key={name} className={css.item} onClick={run}>
                <span>{isCurrent ? '✓' : ''}</span>
                <bdi>{name}</bdi>
                {hint && <small>{hint}</small>}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
