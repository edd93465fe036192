import type { ReactNode } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { Button } from '../controls/button.tsx';
import css from './data.module.css';

interface ErrorAlertProps {
  failure: ApiFailure;
  more?: readonly string[];
  onRetry?: () => void;
}

export function ErrorAlert({ failure, more = [], onRetry }: ErrorAlertProps) {
  return (
    <div className={css.trouble} role="alert">
      <p>{failure.message}</p>
      {more.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
      {failure.requestId && (
        <p className={css.request}>
          Request ID: <code>{failure.requestId}</code>
        </p>
      )}
    </div>
  );
}

/** A note that is not an error. */
export function Hint({ children }: { children: ReactNode }) {
  return <div className={css.hintBox}>{children}</div>;
}
