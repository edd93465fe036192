import { RelataChat } from './element.tsx';

// A page that loads the script twice keeps the first.
if (!customElements.get('relata-chat')) customElements.define('relata-chat', RelataChat);
