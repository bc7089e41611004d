/**
 * The starter: a small Perl program that forks and executes programs. It reads requests from its input and writes one line for
 * each event:
 *
 * - `s ID PID`: the program leads its own session and group, and starts now;
 * - `f ID ERRNO`: afterwards, it could not be started;
 * - `n ID`: the starter cannot open its descriptors; nothing was started;
 * - `e ID CODE SIGNAL`: it has ended.
 *
 * A request is the number of its bytes, a line end, and its fields, each ended by NUL: ID, folder, the counts of descriptors
 * and of arguments, the paths of the descriptors from number 0 on, the arguments, the variables.
 * At the end of its input it waits for the last program and ends.
 */
export const STARTER = String.raw`
use strict;
use Fcntl qw(F_DUPFD F_SETFD F_SETFL FD_CLOEXEC O_NONBLOCK O_RDONLY O_WRONLY);
use POSIX qw(:errno_h WNOHANG dup2 setsid);
$0 = 'haft-starter';
opendir my $open, '/proc/self/fd';
for (readdir $open) { POSIX::close($_) if /^\d+$/ && $_ > 2 && $_ != fileno $open }
closedir $open;
sub high { fcntl $_[0], F_DUPFD, 64 }
my $answers = high(*STDOUT);
open my $kept, ">&=$answers" or exit 1;
fcntl $kept, F_SETFD, FD_CLOEXEC;
sub tell_host { POSIX::write($answers, "@_\n", 1 + length "@_") }
pipe my $woken, my $wake;
fcntl $_, F_SETFL, O_NONBLOCK for $woken, $wake;
$SIG{CHLD} = sub { syswrite $wake, '.' };
my ($requests, $isEnded, %ids) = ('', 0);

sub run {
  my ($id, $folder, $descriptors, $count, @rest) = split /\0/, $_[0], -1;
  pop @rest;
  my ($at, @open) = (0);
  for (splice @rest, 0, $descriptors) {
    my $mode = $at > 0 && $at < 4 ? O_WRONLY : O_RDONLY;
    sysopen my $file, $_, $mode | O_NONBLOCK or return tell_host('n', $id);
    fcntl $file, F_SETFL, $mode;
    push @open, $file;
    $at++;
  }
  my @arguments = splice @rest, 0, $count;
  my $pid = fork;
  return tell_host('n', $id) unless defined $pid;
  return $ids{$pid} = $id if $pid;
  $SIG{CHLD} = 'DEFAULT';
  setsid();
  my @high = map { high($_) } @open;
  for (0 .. $#high) { dup2($high[$_], $_); POSIX::close($high[$_]) }
  tell_host('s', $id, $$);
  chdir $folder or fail($id);
  %ENV = map { split /=/, $_, 2 } @rest;
  { no warnings; exec { $arguments[0] } @arguments }
  fail($id);
}

sub fail { tell_host('f', $_[0], $! + 0); POSIX::_exit(127) }

sub reap {
  while ((my $pid = waitpid -1, WNOHANG) > 0) {
    my $id = delete $ids{$pid};
    tell_host('e', $id, $? >> 8, $? & 127) if defined $id;
  }
}

tell_host('r');
until ($isEnded && !%ids) {
  my $ready = '';
  vec($ready, fileno $woken, 1) = 1;
  vec($ready, 0, 1) = 1 unless $isEnded;
  next if select($ready, undef, undef, undef) < 0;
  if (vec $ready, fileno $woken, 1) { sysread $woken, my $bytes, 4096; reap() }
  next unless vec $ready, 0, 1;
  sysread(STDIN, $requests, 65536, length $requests) or $isEnded = 1;
  while ($requests =~ /^(\d+)\n/ && length $requests >= $1 + length($1) + 1) {
    my ($size, $from) = ($1, length($1) + 1);
    my $request = substr $requests, $from, $size;
    substr($requests, 0, $from + $size) = '';
    run($request);
  }
}
`;
