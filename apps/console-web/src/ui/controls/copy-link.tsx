import { Link } from 'lucide-react';
import { useAct } from '../acts.ts';
import { IconButton } from './button.tsx';
import { copyAndSay } from './copy.tsx';

/** Copies the address of what is shown, with its filters and what is open of it. */
export function CopyLink() {
  const copy = () => void copyAndSay(location.href, 'Link copied.');
  useAct('y', 'Copy link', copy);
  return (
    <IconButton label="Copy link" aria-keyshortcuts="y" onClick={copy}>
      <Link size={14} aria-hidden />
    </IconButton>
  );
}
