import { runService } from '@relata/service';
import { service } from './service.ts';

await runService(service);
