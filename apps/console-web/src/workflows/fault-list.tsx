import { placeText } from '../api/failure.ts';
import type { DefinitionFault } from '../api/types.ts';
import { Button } from '../ui/controls/button.tsx';
import { countedText } from '../ui/data/count.ts';
import { State } from '../ui/data/state.tsx';
import { goToLine } from './definition-field.tsx';
import css from './workflows.module.css';

export function Checked({ verdict: { faults, warnings }, isOld }: { verdict: Verdict; isOld: boolean }) {
  return (
    <div className={css.verdict} role="status" aria-label="Check">
      {faults.length > 0 && <State tone="bad">{countedText(faults.length, 'error')}</State>}
      {faults.length === 0 && !isOld && <State tone="ok">No errors</State>}
      <FaultList faults={faults} />
      {warnings.length > 0 && <State tone="warn">{countedText(warnings.length, 'warning')}</State>}
      <FaultList faults={warnings} />
      {isOld && <p className={css.note}>The definition changed after this check.</p>}
    </div>
  );
}

export function FaultList({ faults }: { faults: readonly DefinitionFault[] }) {
  if (faults.length === 0) return null;
  return (
    <ul className={css.faults}>
      {faults.map((fault, at) => (
        <li key={at}>
          <FaultLine fault={fault} />
        </li>
      ))}
    </ul>
  );
}

/** Shows an error with the message of `relata workflows validate`. Lines, steps and items are counted from 1. */
function FaultLine({ fault: { path, message, hint, line } }: { fault: DefinitionFault }) {
  return (
    <>
      {line !== undefined && (
        <>
          <Button variant="link" onClick={() => goToLine(line)}>{`Line ${line}`}</Button>{' '}
        </>
      )}
      {path && `${placeText(path)}: `}
      {message} {hint}
    </>
  );
}

export interface Verdict {
  text: string;
  faults: readonly DefinitionFault[];
  warnings: readonly DefinitionFault[];
}
