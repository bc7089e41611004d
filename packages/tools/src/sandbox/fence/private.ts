import { privateInHome } from "@haft/core/policy";

/** Of the machine. They matter where the caller is root: ids are mapped, rights on files stay. */
const SYSTEM: readonly string[] = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
  ...["/etc/ssl/private", "/etc/krb5.keytab", "/etc/security/opasswd", "/etc/wireguard", "/etc/NetworkManager"],
  ...["/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key"],
  ...["/etc/docker", "/etc/rancher", "/etc/kubernetes", "/var/spool/cron", "/var/mail", "/var/lib/docker"],
  ...["/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", "/sys/firmware", "/sys/fs/bpf"],
];

/** Places that programs may not read unless a grant names them; missing ones among them. */
export const privatePlaces = (home: string): readonly string[] => [...privateInHome(home), ...SYSTEM];
