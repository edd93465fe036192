import { useState } from 'react';
import { DemoForm } from './demo-form.tsx';
import type { Gateway } from './gateway.ts';

export const contactTitle = 'Talk to us';

/** Offers the form, on a click, if the pages do not contain an answer. */
export function Contact({ gateway }: { gateway: Gateway }) {
  const [isOpen, setIsOpen] = useState(false);
  if (isOpen) return <DemoForm gateway={gateway} title={contactTitle} offered={{}} />;
  return <button onClick={() => setIsOpen(true)}>{contactTitle}</button>;
}
