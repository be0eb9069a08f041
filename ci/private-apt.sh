# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# Sourced by the scripts that fetch a Debian source package, or packages of another CPU. Their lists and
# cache are in a folder of the caller's: the machine's own package state is not touched. The mirror is the
# one that the machine's own configuration names.

# private_apt_begin FOLDER ARCHITECTURE: afterwards `private_apt COMMAND...` is apt-get in that folder.
private_apt_begin()
{
	apt_folder=$1
	apt_arch=$2
	# shellcheck source=/dev/null
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	mkdir -p "$apt_folder/parts" "$apt_folder/lists/partial" "$apt_folder/cache/archives/partial"

	mirror=$(find_mirror)
	if [ -z "$mirror" ]; then
		apt-get -q -o Dir::State::lists="$apt_folder/lists" -o Dir::Cache="$apt_folder/cache" \
			-o APT::Sandbox::User=root update >/dev/null
		mirror=$(find_mirror -o Dir::State::lists="$apt_folder/lists")
	fi
	if [ -z "$mirror" ]; then
		echo "no Debian mirror with component main for '$release' is configured on this machine" >&2
		return 1
	fi
	cat >"$apt_folder/parts/mirror.sources" <<-END
		Types: deb deb-src
		URIs: $mirror
		Suites: $release
		Components: main
		Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	END
	private_apt update >/dev/null
}

find_mirror()
{
	# shellcheck disable=SC2016 # apt-get puts in the value
	apt-get "$@" indextargets --format '$(REPO_URI)' "Created-By: Packages" "Codename: $release" \
		"Component: main" | head -n 1
}

private_apt()
{
	apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt_folder/parts" \
		-o Dir::State::lists="$apt_folder/lists" -o Dir::Cache="$apt_folder/cache" \
		-o APT::Architecture="$apt_arch" -o APT::Architectures="$apt_arch" \
		-o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}
