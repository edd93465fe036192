import { useState } from 'react';
import { DemoForm } from './demo-form.tsx';
import type { Gateway } from './gateway.ts';

export const contactTitle = 'Talk to us';

/** Shows a button that opens the form, for a question that the pages do not answer. */
export function Contact({ gateway }: { gateway: Gateway }) {
  const [isOpen, setIsOpen] = useState(false);
  if (isOpen) return <DemoForm gateway={gateway} title={contactTitle} offered={{}} />;
  return <button onClick={() => setIsOpen(true)}>{contactTitle}</button>;
}
