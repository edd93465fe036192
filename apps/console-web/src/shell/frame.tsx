import { Link } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useMe } from '../api/queries.ts';
import type { FoundRecord } from '../api/types.ts';
import { useHasSessionEnded } from '../api/session.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import { Banners } from './banners.tsx';
import { loadDiscard } from './leave-guard.tsx';
import { OrgMenu } from './org-menu.tsx';
import type { Membership } from './org.ts';
import css from './frame.module.css';
import { InFrame } from './page.tsx';
import { browserZone, showTimesInUtc, useAreTimesUtc } from '../ui/data/time.tsx';

const loadPalette = () => import('./palette.tsx');
const loadHelp = () => import('./help.tsx');
const loadRecord = () => import('./record-dialog.tsx');
const Palette = lazy(loadPalette);
const Help = lazy(loadHelp);
const RecordDialog = lazy(loadRecord);
const SessionOverlay = lazy(() => import('./session-overlay.tsx'));

interface FrameProps {
  nav: ReactNode;
  current?: Membership;
  children: ReactNode;
}

export function Frame({ nav, current, children }: FrameProps) {
  const [isNavOpen, setNavOpen] = useState(false);
  const [overlay, setOverlay] = useState<'palette' | 'help' | FoundRecord>();
  const hasEnded = useHasSessionEnded();
  useShortcut('?', 'Show shortcuts', () => setOverlay('help'));
  usePaletteKey(() => setOverlay('palette'));
  useEffect(loadAhead, []);
  const close = () => setOverlay(undefined);
  return (
    <div className={css.frame}>
      <a className={css.skip} href="#page">
        Skip to content
      </a>
      <header className={css.top}>
        <button
          type="button"
          className={css.navToggle}
          aria-label="Menu"
          aria-expanded={isNavOpen}
          onClick={() => setNavOpen(!isNavOpen)}
        >
          <MenuIcon size={18} aria-hidden />
        </button>
        <OrgMenu current={current} />
        <button
          type="button"
          className={css.search}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => setOverlay('palette')}
        >
          <Search size={14} aria-hidden />
          <span>Search or go to…</span>
          <kbd aria-hidden>{modifier}K</kbd>
        </button>
        <ZoneSwitch />
        <PersonLink />
      </header>
      <Banners />
      <nav
        className={css.nav}
        aria-label="Sections"
        data-open={isNavOpen || undefined}
        onClick={() => setNavOpen(false)}
      >
        {nav}
      </nav>
      <main className={css.page} id="page" tabIndex={-1}>
        <InFrame value>{children}</InFrame>
      </main>
      <Suspense>
        {overlay === 'palette' && <Palette current={current} onClose={close} onRecord={setOverlay} />}
        {overlay === 'help' && <Help onClose={close} />}
        {current && typeof overlay === 'object' && <RecordDialog record={overlay} current={current} onClose={close} />}
        {hasEnded && <SessionOverlay />}
      </Suspense>
    </div>
  );
}

const aheadMs = 1_500;

/** Loads the scripts of the overlays after the page, so that keys typed right after a shortcut reach its overlay. */
function loadAhead(): () => void {
  const timer = setTimeout(
    () => void Promise.allSettled([loadPalette(), loadHelp(), loadRecord(), loadDiscard()]),
    aheadMs,
  );
  return () => clearTimeout(timer);
}

const modifier = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl ';

function PersonLink() {
  const { person } = useMe();
  return (
    <Link to="/me" className={css.person} aria-label={`Your account: ${person.name}`} title={person.email}>
      {person.name}
    </Link>
  );
}

/**
 * Opens the palette on Ctrl K or ⌘ K. This also works in fields and while shortcuts are disabled, but not while a
 * dialog asks for confirmation.
 */
function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      if (!document.querySelector('[role=alertdialog]')) open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/**
 * Switches all times between UTC and the time zone of this browser. On a narrow screen it is visible only while
 * enabled.
 */
function ZoneSwitch() {
  const isUtc = useAreTimesUtc();
  const change = () => showTimesInUtc(!isUtc);
  useShortcut('u', isUtc ? `Show times in ${browserZone}` : 'Show times in UTC', change);
  return (
    <button
      type="button"
      className={css.zone}
      aria-pressed={isUtc}
      aria-keyshortcuts="u"
      aria-label="Times in UTC"
      onClick={change}
    >
      UTC
    </button>
  );
}
