import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';

const { url = '', key = '' } = document.getElementById('chat')!.dataset;

createRoot(document.getElementById('chat')!).render(<Chat gateway={{ url, key }} />);
