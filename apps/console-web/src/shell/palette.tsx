import { Dialog as Base } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useMe } from '../api/queries.ts';
import type { FoundRecord } from '../api/types.ts';
import { listShortcuts } from '../ui/shortcuts.ts';
import type { Membership } from './org.ts';
import { type Choice, choicesFor, matching } from './palette-choices.ts';
import { type Find, type Finds, useFinds, useFoundRecords } from './palette-finds.ts';
import css from './palette.module.css';

interface PaletteProps {
  current: Membership | undefined;
  onClose: () => void;
  onRecord: (record: FoundRecord) => void;
}

/**
 * Finds pages, actions, triggers and workflows by name, records by the complete value of a field, and anything by its
 * id.
 */
export default function Palette({ current, onClose, onRecord }: PaletteProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const { memberships } = useMe();
  const [acts] = useState(listShortcuts);
  const id = useId();
  const finds = useFinds(current, text);
  const records = useFoundRecords(current, text);
  const go = (to: string, search?: Find['search']) => void navigate({ to, search });
  const all = choicesFor({ current, memberships, acts, finds, go });
  const named = finds.isId ? all : matching(all, text);
  // Records are not filtered by name, because a different field may match the text.
  const ofRecord = (found: FoundRecord) => ({ ...found, kind: found.record_type, run: () => onRecord(found) });
  const shown = [...named, ...records.found.map(ofRecord)];
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, at, text]);
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    // Runs after the palette has closed, so that a dialog that the action opens gets the focus.
    setTimeout(choice.run);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((at + step + shown.length) % Math.max(1, shown.length));
    else if (event.key === 'Enter') choose(shown[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={css.paletteBackdrop} />
        <Base.Popup className={css.palette} aria-label="Search or go to">
          <input
            role="combobox"
            aria-expanded
            aria-controls={`${id}-list`}
            aria-activedescendant={shown[at] && `${id}-${at}`}
            aria-label="Search or go to"
            placeholder="Page, action, name, e-mail address, domain or ID"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKey}
          />
          <ul role="listbox" id={`${id}-list`} aria-label="Results">
            {shown.map((choice, index) => (
              <li
                key={index}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                onClick={() => choose(choice)}
                onPointerMove={() => setAt(index)}
              >
                {choice.name}
                <small>{choice.kind}</small>
              </li>
            ))}
          </ul>
          {shown.length === 0 && (
            <p role="status">
              {nothingText(finds.isLooking || records.isLooking ? { ...finds, isLooking: true } : finds)}
            </p>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function nothingText({ isId, isLooking, fault }: Finds): string {
  if (isLooking) return 'Searching…';
  if (fault) return fault;
  if (isId) return 'No results for this ID.';
  return 'No results. To find a record, enter its complete e-mail address, domain, account name or ID.';
}
